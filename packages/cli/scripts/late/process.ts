// Takes the place of `node:process` in the bundle, which copies each module that has a default export.
export default globalThis.process
