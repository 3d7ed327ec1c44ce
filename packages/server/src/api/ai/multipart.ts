// Reads single fields of a multipart/form-data body (RFC 7578), as audio and image calls send it.

/** The limit on the header lines of one part. */
const headBytes = 8 * 1024
const valueBytes = 1024

/** Returns every value of the fields with these names. `undefined` if the body is not valid multipart/form-data. */
export function multipartFields(
  body: Buffer,
  contentType: string,
  names: readonly string[],
): Map<string, string[]> | undefined {
  const boundary = boundaryOf(contentType)
  if (boundary === undefined) return undefined
  const fields = new Map<string, string[]>()
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter stands at the beginning, without a line end before it.
  let at = body.indexOf(delimiter.subarray(2))
  if (at < 0) return undefined
  at += delimiter.length - 2
  for (;;) {
    const headEnd = body.subarray(at, at + headBytes).indexOf('\r\n\r\n')
    const isLast = body[at] === 45 && body[at + 1] === 45 /* -- */
    if (isLast) return fields
    if (headEnd < 0) return undefined
    const from = at + headEnd + 4
    // An empty value ends with the same line end as the head.
    const end = body.indexOf(delimiter, from - 2)
    if (end < 0) return undefined
    const name = fieldName(body.subarray(at, from).toString())
    if (name !== undefined && names.includes(name)) {
      const value = body.subarray(from, Math.max(from, Math.min(end, from + valueBytes))).toString()
      fields.set(name, [...(fields.get(name) ?? []), value])
    }
    at = end + delimiter.length
  }
}

function boundaryOf(contentType: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? plain
}

function fieldName(head: string): string | undefined {
  const line = head.split('\r\n').find(text => /^content-disposition:/i.test(text)) ?? ''
  return /;\s*name="([^"]{0,100})"/i.exec(line)?.[1]
}
