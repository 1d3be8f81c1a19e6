// All tests with every case of their lists, where `npm test` takes a sample.
process.env["SVC_TEST_WHOLE"] = "true"

const { default: config } = await import("./vitest.workspace.ts")
export default config
