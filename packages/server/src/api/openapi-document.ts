// Makes the OpenAPI document of this API. It is large: whoever needs it keeps what was made from it.
import { setImmediate } from 'node:timers/promises'
import { openapi, openapiOperations } from '@svc/contract'
import type { Platform } from '../core/base/platform.ts'

/** Other requests are answered meanwhile. */
export async function makeOpenapi({ urls, version }: Pick<Platform, 'urls' | 'version'>) {
  const operations = []
  for (const operation of openapiOperations()) {
    operations.push(operation)
    await setImmediate()
  }
  return openapi({ url: urls.api, version }, operations)
}
