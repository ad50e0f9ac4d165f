// Package examples reads the examples of openapi.yaml and writes them again. Only specs use it.
//
// The examples tell one story: a spec sends each request, with ids of its own in place of those
// of the story, and compares each answer. Requests are written by hand, in the operation.
// Answers are written from what the server answered, in components.examples; operations that
// answer the same share one.
package examples
