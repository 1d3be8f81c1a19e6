// The client derived from the HTTP contract, for programs that use Effect.
export { SvcClient } from "./SvcClient.ts"
