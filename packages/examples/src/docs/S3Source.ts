import { Knowledge, S3Source } from "@svc-runtime/server"

const wiki = S3Source.make({
  id: "wiki",
  bucket: "wiki",
  region: "eu-central-1",
  accessKeyId: process.env["WIKI_KEY_ID"] ?? "",
  secretAccessKey: process.env["WIKI_SECRET"] ?? ""
})

Knowledge.make({ name: "handbook", sources: [wiki] })
