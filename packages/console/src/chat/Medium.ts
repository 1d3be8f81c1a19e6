// Images, sound, video and files of a run.
import type { Audio, FileMedia, Image, Video } from "@svc-runtime/client"

export interface Medium {
  readonly type: "medium"
  readonly kind: "image" | "audio" | "video" | "file"
  readonly source: Image | Audio | Video | FileMedia
}

/** What a run made, and events of its end. */
export interface WithMedia {
  readonly image?: Image | null | undefined
  readonly images?: ReadonlyArray<Image> | null | undefined
  readonly audio?: ReadonlyArray<Audio> | null | undefined
  readonly videos?: ReadonlyArray<Video> | null | undefined
  readonly files?: ReadonlyArray<FileMedia> | null | undefined
  readonly response_audio?: Audio | null | undefined
}

export const mediaOf = ({ audio, files, image, images, response_audio, videos }: WithMedia): ReadonlyArray<Medium> => {
  const of = (
    kind: Medium["kind"],
    sources: ReadonlyArray<Medium["source"]> | null | undefined
  ): ReadonlyArray<Medium> => (sources ?? []).map((source) => ({ type: "medium", kind, source }))
  return [
    ...of("image", image ? [image] : []),
    ...of("image", images),
    ...of("audio", [...audio ?? [], ...(response_audio ? [response_audio] : [])]),
    ...of("video", videos),
    ...of("file", files)
  ]
}
