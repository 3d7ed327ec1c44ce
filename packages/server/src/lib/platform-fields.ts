// Header fields that the platform itself sets.

/** Valid for one year. Without `includeSubDomains`, because a customer's subdomains may be hosted elsewhere. */
export const strictTransport = ['Strict-Transport-Security', 'max-age=31536000'] as const

export const requestIdField = 'X-Svc-Request-Id'

/** The client's address, from one process of svcd to another. */
export const peerField = 'X-Svc-Peer'

/** Marks a request of the browser that makes pictures of sites, see `PictureMark`. */
export const pictureField = 'x-svc-picture'

/**
 * Fields that visitors do not receive from an app: those that only the platform sets, and `Trailer`, because trailers
 * cannot be sent to every client.
 */
export const droppedFields: ReadonlySet<string> = new Set([
  'x-svc-deployment',
  'x-svc-cache',
  'x-svc-request-id',
  'trailer',
])
