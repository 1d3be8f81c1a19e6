// How paths are parsed, by the router and by everything that must agree with it. Only the limit of the headers bounds
// the length of an id, and each path has only one spelling.
export const routerConfig = { caseSensitive: true, maxParamLength: Number.MAX_SAFE_INTEGER }
