// Both tiers of tests, with every case of their lists. `npm test` runs the fast tier
// (packages/test-support/src/Tier.ts).
process.env["SVC_TEST_WHOLE"] = "true"

const { default: config } = await import("./vitest.workspace.ts")
export default config
