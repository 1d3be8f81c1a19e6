// Requests to addresses that callers name.
export { type FetchError, FetchFailed, FetchRejected } from "./FetchError.ts"
export {
  type Fetched,
  type Opened,
  type Options as SafeFetchOptions,
  type Request as FetchRequest,
  SafeFetch
} from "./SafeFetch.ts"
