// Package gitleaks holds the rules of sess-redact to gitleaks itself. It is a module of
// its own, so that what gitleaks needs is not in the product.
package gitleaks

import _ "github.com/zricethezav/gitleaks/v8/config" // pinned for generate, and what the tests run
