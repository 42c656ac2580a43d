package compact_test

import (
	"fmt"

	"github.com/sess-tools/sess/pkg/compact"
)

func ExampleNewBranch() {
	path := examplePath()
	branch, err := compact.NewBranch(path, path[:1], compact.BranchOptions{Budget: compact.DefaultBranchWindow - compact.DefaultReserve})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(branch.Parts), "messages behind", branch.Ancestor)
	summary := "## Goal\nA working parser" // of a model asked with branch.Prompt
	for _, f := range branch.Fields(summary, nil)[:1] {
		fmt.Println(f.Name, f.Raw)
	}
	fmt.Println(branch.Text(summary))
	// Output:
	// 3 messages behind 00000001
	// fromId "00000005"
	// The user explored a different conversation branch before returning here.
	// Summary of that exploration:
	//
	// ## Goal
	// A working parser
	//
	// <modified-files>
	// parser.go
	// </modified-files>
}
