// The checks of DNS, HTTPS, mail and other services, which run when the operator asks for them.
import { Button } from '../../components/button.tsx'
import { Card, CardAction } from '../../components/card.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useWork } from '../../use-work.ts'
import { checkNow, useChecks } from './admin.ts'
import { CheckList } from './check-list.tsx'

export function ServiceChecks() {
  const { busy, run } = useWork()
  return (
    <Card title="Other services" lead="DNS, HTTPS, certificate authority, mail, GitHub and payments.">
      <Loaded resource={useChecks()} rows={2} label="Loading the checks">
        {checks => (
          <>
            <CheckList checks={checks} />
            <CardAction words={<Last at={checks[0]?.checked_at} />}>
              <Button busy={busy} onClick={() => run(checkNow)}>
                Check now
              </Button>
            </CardAction>
          </>
        )}
      </Loaded>
    </Card>
  )
}

function Last({ at }: { at: string | undefined }) {
  if (at === undefined) return 'Not checked yet. A check takes up to 15 seconds.'
  return (
    <>
      Checked <TimeAgo at={at} />
    </>
  )
}
