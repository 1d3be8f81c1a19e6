// Requests to addresses that callers name, with a client that is made for the first of them.
export { type FetchError, FetchFailed, FetchRejected } from "./FetchError.ts"
export { onFirstUse } from "./onFirstUse.ts"
export {
  type Fetched,
  type Opened,
  type Options as SafeFetchOptions,
  type Request as FetchRequest,
  SafeFetch
} from "./SafeFetch.ts"
