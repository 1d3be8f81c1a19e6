// Each source with a service of its format, and the same files in it.
import { assert } from "@effect/vitest"
import { AzureBlobSource, GcsSource, GitHubSource, S3Source, SharePointSource } from "@svc-runtime/server"
import { Effect, type Scope } from "effect"
import type { ContentSourceFailed, Params, Source } from "../../ContentSource.ts"
import * as AzureBlobServer from "./AzureBlobServer.ts"
import * as GcsServer from "./GcsServer.ts"
import * as GitHubServer from "./GitHubServer.ts"
import type { Files, Reply } from "./RemoteServer.ts"
import * as S3Server from "./S3Server.ts"
import * as SharePointServer from "./SharePointServer.ts"

export const files: Files = {
  "docs/a b+c~(1)'*&.md": "Trains are booked by the office.",
  "docs/planes.md": "Planes are booked by pilots.",
  "docs/trips/far/moon.md": "Rockets are booked by pilots too.",
  "docs/trips/ships & boats.md": "Ships are booked by captains.",
  "docs/élan/ü#?.md": "Bicycles are free.",
  "other.md": "Other."
}

interface Given {
  readonly planned?: Array<Reply>
  /** Tokens that were issued. */
  readonly issued?: Array<string>
  readonly isWrong?: boolean
  readonly files?: Files
}

type Make = (given: Given) => Effect.Effect<Source, never, Scope.Scope>
export const id = "wiki"
export const app = { tenantId: "tenant", clientId: "app" }

const azure = (options: Omit<AzureBlobSource.Options, "id" | "account" | "container">) =>
  AzureBlobSource.make({ id, account: "company", container: "wiki", ...options })

export const sources: ReadonlyArray<{ readonly name: string; readonly make: Make; readonly isTokenObtained: boolean }> =
  [
    {
      name: "S3",
      isTokenObtained: false,
      make: ({ files: given = files, isWrong = false, planned }) =>
        Effect.map(S3Server.make(given, 2, planned), (endpoint) =>
          S3Source.make({
            id,
            bucket: "wiki",
            endpoint,
            ...S3Server.credentials,
            ...(isWrong ? { secretAccessKey: "guess" } : {})
          }))
    },
    {
      name: "Google Cloud Storage",
      isTokenObtained: true,
      make: ({ files: given = files, issued, isWrong = false, planned }) =>
        Effect.map(GcsServer.make(given, planned, issued), (endpoint) => {
          const serviceAccount = GcsServer.keyFile(endpoint)
          return GcsSource.make({
            id,
            bucket: "wiki",
            endpoint,
            serviceAccount: isWrong ? serviceAccount.replace("reader@", "guess@") : serviceAccount
          })
        })
    },
    {
      name: "Azure Blob Storage with a key",
      isTokenObtained: false,
      make: ({ files: given = files, isWrong = false, planned }) =>
        Effect.map(
          AzureBlobServer.make(given, planned),
          (endpoint) => azure({ endpoint, accountKey: isWrong ? "guess" : AzureBlobServer.key })
        )
    },
    {
      name: "Azure Blob Storage with a shared access signature",
      isTokenObtained: false,
      make: ({ files: given = files, isWrong = false, planned }) =>
        Effect.map(
          AzureBlobServer.make(given, planned),
          (endpoint) => azure({ endpoint, sasToken: isWrong ? "sig=guess" : `?${AzureBlobServer.sas}` })
        )
    },
    {
      name: "Azure Blob Storage with an application",
      isTokenObtained: true,
      make: ({ files: given = files, issued, isWrong = false, planned }) =>
        Effect.map(
          AzureBlobServer.make(given, planned, issued),
          (endpoint) =>
            azure({ endpoint, application: { ...app, clientSecret: isWrong ? "guess" : "hush", authority: endpoint } })
        )
    },
    {
      name: "GitHub with a token",
      isTokenObtained: false,
      make: ({ files: given = files, isWrong = false, planned }) =>
        Effect.map(
          GitHubServer.make(given, planned),
          (endpoint) => GitHubSource.make({ id, repo: "company/wiki", endpoint, token: isWrong ? "guess" : "hush" })
        )
    },
    {
      name: "GitHub with an app",
      isTokenObtained: true,
      make: ({ files: given = files, issued = [], isWrong = false, planned }) =>
        Effect.map(GitHubServer.make(given, planned, issued), (endpoint) =>
          GitHubSource.make({
            id,
            repo: "company/wiki",
            endpoint,
            app: { appId: isWrong ? "guess" : "42", installationId: "7", privateKey: GcsServer.pem }
          }))
    },
    {
      name: "SharePoint",
      isTokenObtained: true,
      make: ({ files: given = files, issued, isWrong = false, planned }) =>
        Effect.map(SharePointServer.make(given, planned, issued), (endpoint) =>
          SharePointSource.make({
            id,
            ...app,
            clientSecret: isWrong ? "guess" : "hush",
            authority: endpoint,
            endpoint: `${endpoint}/v1.0`,
            hostname: "company.sharepoint.com",
            sitePath: "sites/wiki",
            drive: "Wiki"
          }))
    }
  ]

export const none: Params = {}

export const folderIn = ({ folder }: Source, path: string, maximum = 10_000) => {
  assert.isDefined(folder)
  return folder({ path, params: none, maximum })
}

export const failureOf = <A>(effect: Effect.Effect<A, ContentSourceFailed>) => Effect.flip(effect)

export const textIn = (source: Source, path: string) =>
  Effect.map(source.fetch(path, none), ({ bytes }) => new TextDecoder().decode(bytes))
