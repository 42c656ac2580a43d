package jqmap

import (
	"go.yaml.in/yaml/v3"
)

// decodeYAML decodes the first document of a YAML file. Numbers and times stay the texts that they are written as.
func decodeYAML(data []byte) (any, error) {
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		return nil, err
	}
	return fromNode(&n), nil
}

// fromNode returns the value of a node as a map sees it. What an alias repeats is null unless it is a scalar: a file of
// aliases would become larger than memory.
func fromNode(n *yaml.Node) any {
	switch n.Kind {
	case yaml.DocumentNode:
		return fromNode(n.Content[0])
	case yaml.AliasNode:
		if n.Alias.Kind == yaml.ScalarNode {
			return fromNode(n.Alias)
		}
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, e := range n.Content {
			list[i] = fromNode(e)
		}
		return list
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			object[n.Content[i].Value] = fromNode(n.Content[i+1])
		}
		return object
	case yaml.ScalarNode:
		switch n.ShortTag() {
		case "!!null":
			return nil
		case "!!bool":
			return n.Value == "true"
		}
		return n.Value
	}
	return nil
}
