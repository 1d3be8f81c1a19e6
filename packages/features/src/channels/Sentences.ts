// What the service itself says to people on a platform.

export const notAdmitted = "You may not talk to me here. Ask the people who run this service."

export const unavailable = "I am not available at the moment. Please try again later."

export const busy = "I am still working on your last message. Please wait for my answer."

export const done = "Done."

export const stopped = "I have stopped."

/** `error_id` finds the error in the log of the service. */
export const failed = (error_id: string | undefined): string =>
  `Something went wrong, and I could not finish.${error_id === undefined ? "" : ` (Error ${error_id})`}`

export const tooLong = "(The rest is too long to be shown here.)"

export const gone = "This conversation was deleted."

export const begun = "A new conversation begins. I do not remember the one before."

/** Who answers here. */
export const help = (
  { description, name }: { readonly name?: string | undefined; readonly description?: string | undefined },
  linksAccounts: boolean
): string =>
  [
    `${name === undefined ? "" : `I am **${name}**. `}${description ?? ""}`.trim(),
    `Write to me, and I answer. **/new** begins a new conversation, and **/stop** stops what I am doing.${
      linksAccounts ? " **/link** links your account here to your user of the service." : ""
    }`
  ].filter((part) => part !== "").join("\n\n")

export const noFiles = "I cannot read files here. Please write to me without one."

export const tooLarge = (bytes: number): string =>
  `The files are too large for me. All files of a message may have ${Math.floor(bytes / 1024 / 1024)} MB.`

export const notDownloaded = (name: string): string =>
  `I could not download the file${name === "" ? "" : ` ${name}`}. Please send it again.`

export const unknownFile =
  "I cannot read files of this type. I read images, audio, videos, PDF, texts and documents of Office."

export const notSent = (name: string): string => `(The file ${name} is too large to be sent here.)`

export const notYours = "You may not decide this. The person who asked me may, and people who approve."

export const needsApproval = "This needs the approval of another person, who may approve calls."

export const decided = "This was decided already."

export const continuesWithAnother = "I am still working on another answer. Please decide this again in a moment."

export const unknownQuestion = "I do not know this question any more."

export const isLinked = "Your account is linked."

export const linkedTo = (user: string): string =>
  `Your account here is linked to the user **${user}** now. Write to me, and I answer.`

export const noLinks = "Accounts are not linked here. Write to me, and I answer."

export const linkDirectly = "Write to me in a direct conversation to link your account."

/** Where a person confirms the code, signed in. */
const whereOf = (code: string, url: string | undefined): string =>
  url === undefined
    ? "Enter this code under Channels in the console of the service"
    : `Open ${url.replace(/(?<!\/)\/+$/, "")}/console/#/channels?code=${code}`

/** The code is shown to one person. */
export const link = (code: string, url: string | undefined): string =>
  `I do not know you yet. ${whereOf(code, url)} within 10 minutes, or run \`svc channels link ${code}\`:\n\n` +
  `**${code}**\n\nUse a code only if you have asked for it yourself.`
