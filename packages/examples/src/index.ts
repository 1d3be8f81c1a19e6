export { assistant } from "./quickstart.ts"
