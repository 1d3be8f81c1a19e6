// The bytes of images, audio, videos and files.
import * as Feature from "../Feature.ts"
import { Media as MediaEndpoints } from "./MediaApi.ts"

export const media = Feature.make({
  name: "media",
  groups: [MediaEndpoints],
  load: () => import("./live.ts")
})
