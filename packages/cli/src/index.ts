export { run } from "./Main.ts"
