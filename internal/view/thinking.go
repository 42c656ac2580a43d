package view

import (
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

// foreign are the beginnings of the names of APIs whose thinking Anthropic did
// not sign.
var foreign = []string{"openai", "azure-openai", "google", "mistral"}

// thinking returns a block of thinking in Anthropic's form: redacted thinking
// with its data (pi keeps that as the signature of a block marked redacted,
// oh-my-pi in a block of its own), other thinking with its signature. It is nil
// for thinking that cannot be told without.
func thinking(m session.Message, b session.Block) JSON {
	for _, name := range foreign {
		if strings.HasPrefix(m.Str("api"), name) {
			return nil
		}
	}
	signature := b.Str("thinkingSignature")
	switch {
	case b.Type == "redactedThinking":
		return redacted(b.Str("data"))
	case b.Get("redacted") == "true":
		return redacted(signature)
	case signature == "":
		return nil
	}
	return JSON(nil).raw(`{"type":"thinking","thinking":`).quote(b.Str("thinking")).
		raw(`,"signature":`).quote(signature).raw("}")
}

func redacted(data string) JSON {
	if data == "" {
		return nil
	}
	return JSON(nil).raw(`{"type":"redacted_thinking","data":`).quote(data).raw("}")
}
