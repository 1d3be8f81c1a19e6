/** The variable of the environment that tells the processes of the program from the one that starts them. */
export const processMark = "SVC_DEV_PROCESS"

/** Read before each start of the program. */
export const environmentFile = ".env"
