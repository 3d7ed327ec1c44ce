/** Runs on the server for each visit. */
export const load = () => ({ time: new Date().toISOString() })
