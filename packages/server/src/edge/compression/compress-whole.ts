// Compresses a whole body in one step, on a thread of Node's pool.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Coding } from '../../core/deployments/archive/variants.ts'
import { gzipLevel } from './gzip-at-once.ts'

/** Fast rather than small, and with a small window: an encoder with the default window allocates several megabytes. */
export const compressWhole: Record<Coding, (content: Buffer) => Promise<Buffer>> = {
  br: content =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_LGWIN]: 18,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gzip: content => promisify<Buffer, object, Buffer>(gzip)(content, { level: gzipLevel }),
}
