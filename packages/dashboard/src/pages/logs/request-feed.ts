// The request log as it grows.
import { limits } from '@svc/contract/limits'
import { call } from '../../api.ts'
import { PolledFeed } from './polled-feed.ts'
import { type RequestList, withNewest, withOlder } from './request-list.ts'
import { boundsOf, type TimeRange } from './time-ranges.ts'

interface RequestFilter {
  /** A class such as `5xx`, or a status such as `404`. */
  status?: string | undefined
  method?: string | undefined
  host?: string | undefined
  /** The beginning of the path. */
  path?: string | undefined
  deployment?: string | undefined
  /** The id of one request. */
  request?: string | undefined
  time: TimeRange
}

interface RequestView {
  /** Undefined until the first answer. */
  list: RequestList | undefined
  /** Whether requests were left out, because there were too many. */
  isSampled: boolean
}

const pollMs = 3_000

export class RequestFeed extends PolledFeed<RequestView> {
  readonly #project: string
  readonly #filter: RequestFilter

  constructor(project: string, filter: RequestFilter) {
    super({ list: undefined, isSampled: false }, pollMs)
    this.#project = project
    this.#filter = filter
  }

  protected override async ask() {
    const { page, isSampled } = await this.#page(null)
    return { list: withNewest(this.view.get().list, page), isSampled }
  }

  async older(): Promise<void> {
    const { list } = this.view.get()
    if (!list?.cursor) return
    const { page } = await this.#page(list.cursor)
    const view = this.view.get()
    // Meanwhile the list may have begun again.
    if (view.list?.cursor === list.cursor) this.view.set({ ...view, list: withOlder(view.list, page) })
  }

  async #page(cursor: string | null): Promise<{ page: RequestList; isSampled: boolean }> {
    const { time, status, method, host, path, deployment, request } = this.#filter
    const { requests, next_cursor, sampled } = await call('GET /projects/:name/requests', {
      params: { name: this.#project },
      query: {
        limit: String(limits.page.max),
        ...(status && { status }),
        ...(method && { method }),
        ...(host && { host }),
        // The log cuts longer paths.
        ...(path && { path: path.slice(0, 512) }),
        ...(deployment && { deployment }),
        ...(request && { request: request.slice(0, 64) }),
        ...boundsOf(time, Date.now()),
        ...(cursor && { cursor }),
      },
    })
    return { page: { rows: requests, cursor: next_cursor }, isSampled: sampled }
  }
}
