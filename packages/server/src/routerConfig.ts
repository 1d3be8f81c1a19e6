// How paths are read, by the router and by whatever else has to agree with it. Ids are as long as the limit of the
// headers lets them be, and paths are spelled in one way only.
export const routerConfig = { caseSensitive: true, maxParamLength: Number.MAX_SAFE_INTEGER }
