// A provider of models: how it is shown, which settings it needs, and how its client is made.
import type { Effect } from "effect"
import type { AiSdkLanguageModel } from "./AiSdkModel.ts"
import type { ModelSettings } from "./ModelSettings.ts"
import type { Format } from "./PlainDelta.ts"
import type { ModelPackageMissing, ProviderPackage } from "./ProviderPackage.ts"
import type { Credentials, secretName, SettingName } from "./ProviderSettings.ts"

export interface Provider {
  /** The name of the provider for people. */
  readonly provider: string
  /** The name of the client. */
  readonly name: string
  /** The settings that it cannot do without; if there are several lists, those of one of them. */
  readonly needs: ReadonlyArray<ReadonlyArray<SettingName>>
  /** The settings of it whose values never appear in a message. */
  readonly secrets: ReadonlyArray<keyof typeof secretName>
  /** The package of its client, if the project of the service installs it. */
  readonly client?: ProviderPackage
  readonly load: (
    credentials: Credentials,
    ref: string,
    modelId: string,
    fetch: typeof globalThis.fetch
  ) => Effect.Effect<AiSdkLanguageModel, ModelPackageMissing>
  readonly settings?: ModelSettings
  /** The format of the streams of its client, if it is one whose plain deltas are known. */
  readonly format?: Format
}
