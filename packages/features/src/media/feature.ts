// The bytes of images, audio, videos and files.
import * as Feature from "../Feature.ts"
import { Media as MediaEndpoints } from "./MediaApi.ts"
import { Media } from "./MediaHandlers.ts"

export const media = Feature.make({
  name: "media",
  groups: [MediaEndpoints],
  handlers: Media
})
