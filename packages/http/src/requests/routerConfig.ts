// The settings for parsing paths, for the router and all code that must agree with it. Only the limit of the headers
// bounds the length of an id, and each path has only one spelling.
export const routerConfig = { caseSensitive: true, maxParamLength: Number.MAX_SAFE_INTEGER }
