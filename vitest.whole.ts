// All tests with every case of their lists, where `npm test` takes a sample.
// @effect-diagnostics-next-line processEnv:off because vitest passes its environment on to its workers
process.env["SVC_TEST_WHOLE"] = "true"

const { default: config } = await import("./vitest.workspace.ts")
export default config
