// Requests to addresses that callers name.
export { type FetchError, FetchFailed, FetchRefused } from "./FetchError.ts"
export { type Fetched, type Options as SafeFetchOptions, type Request as FetchRequest, SafeFetch } from "./SafeFetch.ts"
