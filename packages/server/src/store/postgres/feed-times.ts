// What the writers and the followers of the change feed agree on.

export const channel = 'svc_changes'

/** A follower that has confirmed nothing for this long does not trust its caches, so writers do not wait for it. */
export const trustMs = 4_000
