import { Chunker, Knowledge } from "@svc-runtime/server"

const scenes = Chunker.make({
  key: "SceneChunker",
  chunk: ({ text }) => text.split(/^\* \* \*$/m).map((scene) => scene.trim())
})

Knowledge.make({ name: "plays", chunkers: [scenes], chunker: "SceneChunker" })
