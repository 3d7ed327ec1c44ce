// What a list says of a token: when it was made and last used, and when it expires.
import type { Token } from '@svc/contract'
import { TimeAgo, useNow } from '../../../components/time-ago.tsx'
import { formatDay, formatMoment } from '../../../format.ts'

export const isExpired = ({ expires_at }: Pick<Token, 'expires_at'>, now: number): boolean =>
  expires_at !== null && Date.parse(expires_at) <= now

export function LastUse({ token }: { token: Token }) {
  if (!token.last_used_at) return <>Never used</>
  return (
    <>
      Last used <TimeAgo at={token.last_used_at} />
    </>
  )
}

export function Expiry({ token }: { token: Token }) {
  const now = useNow()
  if (!token.expires_at) return <>Never expires</>
  return (
    <time dateTime={token.expires_at} data-tip={formatMoment(token.expires_at)}>
      {isExpired(token, now) ? 'Expired' : 'Expires'} {formatDay(token.expires_at)}
    </time>
  )
}
