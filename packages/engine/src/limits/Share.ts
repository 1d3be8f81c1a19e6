// The share of one user in a limit that all users of a service have together: a half leaves room for others. Without
// users there are no shares.

export const shareOf = (limit: number): number => Math.max(1, Math.floor(limit / 2))

/** How many there are, or may be: of all users, and of the user who makes another one. */
export interface Room {
  readonly all: number
  readonly ofUser: number
}

export const roomOf = (limit: number): Room => ({ all: limit, ofUser: shareOf(limit) })

export const hasRoom = ({ all, ofUser }: Room, limit: number): boolean => all < limit && ofUser < shareOf(limit)

/** Of a message that names what a limit counts. */
export const text = (limit: number, user_id: string | null | undefined): string =>
  user_id === null || user_id === undefined ? "" : `, or ${shareOf(limit)} of one user,`
