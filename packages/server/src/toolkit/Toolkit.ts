// Tools that are ready to be used. Each says what its effects are.
export { calculator } from "./calculator.ts"
export { currentTime } from "./currentTime.ts"
export { fileSystem } from "./fileSystem.ts"
export { httpFetch } from "./httpFetch.ts"
export { sleep } from "./sleep.ts"
export { sqlQuery } from "./sqlQuery.ts"
