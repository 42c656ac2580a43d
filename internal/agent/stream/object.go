package stream

import "github.com/sess-tools/sess/pkg/js"

// An object is a JSON object whose members have been found, once: events are asked for
// many of them, and may be large.
type object struct {
	js.Value
	members []member
}

type member struct {
	name  string
	value js.Value
}

func objectOf(v js.Value) object { return objectIn(v, nil) }

// objectIn is objectOf with the room for members of an object that is not used any more.
func objectIn(v js.Value, room []member) object {
	o := object{v, room[:0]}
	for name, value := range v.Members() {
		o.members = append(o.members, member{name, value})
	}
	return o
}

// Get returns what the names lead to, as [js.Value.Get] does.
func (o object) Get(names ...string) js.Value {
	found := js.Value("")
	for _, m := range o.members { // of two with one name the last counts
		if m.name == names[0] {
			found = m.value
		}
	}
	if found == "null" {
		return ""
	}
	if len(names) > 1 {
		return found.Get(names[1:]...)
	}
	return found
}
