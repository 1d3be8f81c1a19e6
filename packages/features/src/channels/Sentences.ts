// What the service itself says to people on a platform.

export const notAdmitted = "You may not talk to me here. Ask the people who run this service."

export const unavailable = "I am not available at the moment. Please try again later."

export const busy = "I am still working on your last message. Please wait for my answer."

export const done = "Done."

export const stopped = "I have stopped."

/** `error_id` finds the error in the log of the service. */
export const failed = (error_id: string | undefined): string =>
  `Something went wrong, and I could not finish.${error_id === undefined ? "" : ` (Error ${error_id})`}`

export const gone = "This conversation was deleted."
