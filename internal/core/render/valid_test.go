package render_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The validators say of a request what the APIs would: nil, or why they would
// refuse it. They know nothing of how it was made.

var (
	openAIID      = regexp.MustCompile(`^[!-~]{1,40}$`)
	openAIName    = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	anthropicID   = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	anthropicName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
)

// strictly decodes text into v and refuses members v does not have, and text
// that is not well formed.
func strictly(text string, v any) error {
	if !utf8.ValidString(text) {
		return errors.New("not UTF-8")
	}
	for rest := text; ; {
		i := strings.IndexByte(rest, '\\')
		if i < 0 {
			break
		}
		if rest = rest[i:]; strings.HasPrefix(rest, `\ud`) {
			return fmt.Errorf("surrogate: %.40s", rest)
		}
		rest = rest[min(2, len(rest)):]
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one value")
	}
	return nil
}

type openAIMessage struct {
	Role      string           `json:"role"`
	Content   json.RawMessage  `json:"content"`
	ToolCalls []openAIToolCall `json:"tool_calls"`
	ID        string           `json:"tool_call_id"`
}

type openAIToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type openAIPart struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Image struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

func validOpenAI(text string) ([]openAIMessage, error) {
	var messages []openAIMessage
	if err := strictly(text, &messages); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var waiting []string // ids whose result must come next
	for i, m := range messages {
		if m.Role == "tool" {
			at := slices.Index(waiting, m.ID)
			if at < 0 || m.Content[0] != '"' {
				return nil, fmt.Errorf("message %d: tool result for %q", i, m.ID)
			}
			waiting = slices.Delete(waiting, at, at+1)
			continue
		}
		if len(waiting) > 0 {
			return nil, fmt.Errorf("message %d: %s while %q wait", i, m.Role, waiting)
		}
		if err := validOpenAIMessage(i, m); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		for _, c := range m.ToolCalls {
			if seen[c.ID] {
				return nil, fmt.Errorf("message %d: id %q again", i, c.ID)
			}
			seen[c.ID] = true
			waiting = append(waiting, c.ID)
		}
	}
	if len(waiting) > 0 {
		return nil, fmt.Errorf("%q wait at the end", waiting)
	}
	return messages, nil
}

func validOpenAIMessage(i int, m openAIMessage) error {
	empty := bytes.Equal(m.Content, []byte(`""`)) || bytes.Equal(m.Content, []byte(`[]`))
	switch {
	case m.ID != "" || empty || len(m.Content) == 0:
		return fmt.Errorf("id %q, content %s", m.ID, m.Content)
	case m.Role == "system" && i == 0 && m.Content[0] == '"':
	case (m.Role == "user" || m.Role == "developer") && m.Content[0] == '"':
	case m.Role == "user":
		return validOpenAIParts(m.Content)
	case m.Role == "developer" && !bytes.Contains(m.Content, []byte(`"image_url"`)):
		return validOpenAIParts(m.Content)
	case m.Role == "assistant" && (m.Content[0] == '"' || string(m.Content) == "null" && len(m.ToolCalls) > 0):
		for _, c := range m.ToolCalls {
			var arguments map[string]any
			if err := strictly(c.Function.Arguments, &arguments); err != nil || arguments == nil {
				return fmt.Errorf("arguments %s: %w", c.Function.Arguments, err)
			}
			if c.Type != "function" || !openAIID.MatchString(c.ID) || !openAIName.MatchString(c.Function.Name) {
				return fmt.Errorf("call %+v", c)
			}
		}
		return nil
	default:
		return fmt.Errorf("role %s, content %s", m.Role, m.Content)
	}
	if len(m.ToolCalls) > 0 {
		return errors.New("calls of " + m.Role)
	}
	return nil
}

func validOpenAIParts(content json.RawMessage) error {
	var parts []openAIPart
	if err := strictly(string(content), &parts); err != nil {
		return err
	}
	for _, p := range parts {
		switch {
		case p.Type == "text" && p.Text != "" && p.Image.URL == "":
		case p.Type == "image_url" && p.Text == "":
			media, data, ok := strings.Cut(strings.TrimPrefix(p.Image.URL, "data:"), ";base64,")
			if _, err := base64.StdEncoding.DecodeString(data); err != nil || !ok || !strings.HasPrefix(media, "image/") {
				return fmt.Errorf("image %s", p.Image.URL)
			}
		default:
			return fmt.Errorf("part %+v", p)
		}
	}
	return nil
}

type anthropicRequest struct {
	System   *string            `json:"system"`
	Messages []anthropicMessage `json:"messages"`
}

type anthropicMessage struct {
	Role    string           `json:"role"`
	Content []anthropicBlock `json:"content"`
}

type anthropicBlock struct {
	Type      string           `json:"type"`
	Text      string           `json:"text"`
	Thinking  string           `json:"thinking"`
	Signature string           `json:"signature"`
	Data      string           `json:"data"`
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	Input     *json.RawMessage `json:"input"`
	ToolUseID string           `json:"tool_use_id"`
	IsError   bool             `json:"is_error"`
	Content   []anthropicBlock `json:"content"`
	Source    *struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
}

func validAnthropic(text string) (anthropicRequest, error) {
	var r anthropicRequest
	if err := strictly(text, &r); err != nil {
		return r, err
	}
	if r.Messages == nil || r.System != nil && *r.System == "" {
		return r, errors.New("no messages, or an empty system")
	}
	seen := map[string]bool{}
	var waiting []string
	for i, m := range r.Messages {
		if m.Role != []string{"user", "assistant"}[i%2] || len(m.Content) == 0 {
			return r, fmt.Errorf("message %d: %s with %d blocks", i, m.Role, len(m.Content))
		}
		var err error
		if m.Role == "user" {
			err = validUserBlocks(m.Content, waiting)
			waiting = nil
		} else {
			waiting, err = validAssistantBlocks(m.Content, seen)
		}
		if err != nil {
			return r, fmt.Errorf("message %d: %w", i, err)
		}
	}
	if len(waiting) > 0 {
		return r, fmt.Errorf("%q wait at the end", waiting)
	}
	return r, nil
}

func validAssistantBlocks(blocks []anthropicBlock, seen map[string]bool) (calls []string, err error) {
	for i, b := range blocks {
		switch {
		case b.Type == "tool_use":
			var input map[string]any
			if b.Input == nil || json.Unmarshal(*b.Input, &input) != nil || input == nil {
				return nil, fmt.Errorf("input of %q", b.ID)
			}
			if seen[b.ID] || !anthropicID.MatchString(b.ID) || !anthropicName.MatchString(b.Name) {
				return nil, fmt.Errorf("call %q of %q", b.ID, b.Name)
			}
			seen[b.ID] = true
			calls = append(calls, b.ID)
		case len(calls) > 0:
			return nil, fmt.Errorf("%s behind a call", b.Type)
		case b.Type == "text" && strings.TrimSpace(b.Text) != "":
		case b.Type == "thinking" && b.Signature != "" && i < len(blocks)-1:
		case b.Type == "redacted_thinking" && b.Data != "" && i < len(blocks)-1:
		default:
			return nil, fmt.Errorf("block %+v", b)
		}
	}
	return calls, nil
}

func validUserBlocks(blocks []anthropicBlock, waiting []string) error {
	for i, b := range blocks {
		if b.Type != "tool_result" {
			if len(waiting) > 0 {
				return fmt.Errorf("%s while %q wait", b.Type, waiting)
			}
			if err := validContent(b); err != nil {
				return fmt.Errorf("block %d: %w", i, err)
			}
			continue
		}
		at := slices.Index(waiting, b.ToolUseID)
		if at < 0 || b.IsError && len(b.Content) == 0 {
			return fmt.Errorf("result for %q: %+v", b.ToolUseID, b)
		}
		waiting = slices.Delete(waiting, at, at+1)
		for _, c := range b.Content {
			if err := validContent(c); err != nil || b.IsError && c.Type != "text" {
				return fmt.Errorf("result for %q: %+v", b.ToolUseID, c)
			}
		}
	}
	if len(waiting) > 0 {
		return fmt.Errorf("%q without result", waiting)
	}
	return nil
}

func validContent(b anthropicBlock) error {
	switch {
	case b.Type == "text" && strings.TrimSpace(b.Text) != "":
		return nil
	case b.Type == "image" && b.Source != nil && b.Source.Type == "base64":
		if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, b.Source.MediaType) {
			return fmt.Errorf("media type %q", b.Source.MediaType)
		}
		_, err := base64.StdEncoding.DecodeString(b.Source.Data)
		return err
	}
	return fmt.Errorf("block %+v", b)
}
