import { LinkButton } from '../components/button.tsx'
import { Gate } from '../components/gate.tsx'
import { href } from '../paths.ts'

export function NotFoundPage() {
  return (
    <Gate title="Page not found" lead="The URL may be mistyped, or the page was removed.">
      <LinkButton href={href('/')} look="primary" size="large">
        Go to your projects
      </LinkButton>
    </Gate>
  )
}
