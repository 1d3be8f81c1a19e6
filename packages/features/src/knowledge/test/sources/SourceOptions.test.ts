// The options of sources that are refused.
import { assert, describe, it } from "@effect/vitest"
import { AzureBlobSource, GcsSource, GitHubSource, S3Source, SharePointSource } from "@svc-runtime/server"
import { Redacted } from "effect"
import { app, id } from "./ServedSources.ts"

describe("options of sources", () => {
  it("an invalid option is an error that names the source, without its secrets", () => {
    const secret = "hush-hush"
    const faults: ReadonlyArray<() => unknown> = [
      () => GcsSource.make({ id, bucket: "wiki", serviceAccount: `{"private_key":"${secret}"}` }),
      () => GcsSource.make({ id, bucket: "a/b" }),
      () => AzureBlobSource.make({ id, account: "Company", container: "wiki" }),
      () => AzureBlobSource.make({ id, account: "company", container: "wiki", sasToken: secret, accountKey: secret }),
      () => GitHubSource.make({ id, repo: "wiki", token: secret }),
      () => GitHubSource.make({ id, app: { appId: "1", installationId: "2", privateKey: secret } }),
      () => SharePointSource.make({ id, ...app, clientSecret: secret, hostname: "x/y" }),
      () => SharePointSource.make({ id, ...app, clientSecret: secret, hostname: "x.example", sitePath: "../y" }),
      () => S3Source.make({ id, bucket: "wiki", accessKeyId: "a", secretAccessKey: secret, endpoint: "ftp://x" })
    ]
    for (const fault of faults) {
      let message = ""
      try {
        fault()
      } catch (error) {
        message = String(error)
      }
      assert.match(message, /Source 'wiki': /)
      assert.notInclude(message, secret)
    }
  })

  it("an empty secret, whose setting is missing, is an error that names the option", () => {
    const s3 = { id, bucket: "wiki", accessKeyId: "a", secretAccessKey: "b" }
    const azure = { id, account: "company", container: "wiki" }
    const faults: ReadonlyArray<readonly [option: string, () => unknown]> = [
      ["accessKeyId", () => S3Source.make({ ...s3, accessKeyId: "" })],
      ["secretAccessKey", () => S3Source.make({ ...s3, secretAccessKey: Redacted.make("") })],
      ["accessToken", () => GcsSource.make({ id, bucket: "wiki", accessToken: "" })],
      ["sasToken", () => AzureBlobSource.make({ ...azure, sasToken: "" })],
      ["clientSecret", () => AzureBlobSource.make({ ...azure, application: { ...app, clientSecret: "" } })],
      ["token", () => GitHubSource.make({ id, token: "" })],
      ["clientSecret", () => SharePointSource.make({ id, ...app, clientSecret: "", hostname: "x.example" })]
    ]
    for (const [option, fault] of faults) assert.throws(fault, `Source 'wiki': ${option} is empty`)
  })

  it("a secret that no header can have, as one with the line end of its file, is an error that names the option", () => {
    for (const token of ["hush\n", "hu\nsh", "hüsh→", "hush\0"]) {
      assert.throws(
        () => GitHubSource.make({ id, token }),
        "Source 'wiki': token must be one line of ASCII, without blanks around it"
      )
    }
  })
})
