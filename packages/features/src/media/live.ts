// What the feature does in a service that has it.
import * as Feature from "../Feature.ts"
import { Media } from "./MediaHandlers.ts"

export const live = Feature.live({
  handlers: Media
})
