// The options of `svc logs --requests` that choose among the requests.
import { Failure } from '../../failure.ts'
import type { OptionValues } from '../../options.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Other commands have options of the same names. */
export const requestFilterTexts = {
  status: {
    value: '<status>',
    summary: 'Only this status or class: 404, 5xx',
    choices: ['2xx', '3xx', '4xx', '5xx'],
  },
  path: { value: '<path>', summary: 'Only paths that begin with this: /api' },
  method: { value: '<m>', summary: 'Only this HTTP method', choices: methods },
}

const names = ['status', 'path', 'method', 'host'] as const

type RequestFilter = Partial<Record<(typeof names)[number] | 'request', string>>

/** Fails if a value cannot be right, or if the options are given without --requests. */
export function requestFilter(options: OptionValues): RequestFilter {
  const given = names.filter(name => options[name] !== undefined)
  if (given.length > 0 && !options.requests)
    throw new Failure(`--${given[0]} is for the requests. Add --requests.`)
  const status = options.status?.toLowerCase()
  if (status !== undefined && !/^(0|[1-5](xx|\d\d))$/.test(status))
    throw new Failure('--status takes a class such as 5xx, or a status such as 404.')
  const method = options.method?.toUpperCase()
  if (method !== undefined && !/^[A-Z-]{1,16}$/.test(method))
    throw new Failure('--method takes an HTTP method such as GET.')
  const { path, host, request } = options
  return {
    ...(request !== undefined && { request }),
    ...(status !== undefined && { status }),
    ...(path !== undefined && { path: path.startsWith('/') ? path : `/${path}` }),
    ...(method !== undefined && { method }),
    ...(host !== undefined && { host }),
  }
}
