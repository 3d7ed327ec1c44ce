import { LinkButton } from '../components/button.tsx'
import { Gate } from '../components/gate.tsx'

export function NotFoundPage() {
  return (
    <Gate title="Page not found" lead="The address may be mistyped, or what was here is gone.">
      <LinkButton href="/" look="primary" size="large">
        Go to your projects
      </LinkButton>
    </Gate>
  )
}
