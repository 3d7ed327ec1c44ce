// The texts of the access modes.
import type { AccessMode } from '@svc/contract'
import type { IconName } from '../../components/icon.tsx'

interface ModeWords {
  mode: AccessMode
  icon: IconName
  label: string
  meaning: string
  /** The message after the mode was set. */
  done: string
}

export const modes: readonly ModeWords[] = [
  {
    mode: 'public',
    icon: 'globe',
    label: 'Public',
    meaning: 'Everyone who has a URL of the site can see it.',
    done: 'The site is public.',
  },
  {
    mode: 'password',
    icon: 'lock',
    label: 'Password',
    meaning: 'Visitors enter one password that they all share.',
    done: 'The site asks for its password.',
  },
  {
    mode: 'org',
    icon: 'users',
    label: 'Members of the organization',
    meaning: 'Visitors sign in here, and only members get through.',
    done: 'Only members of the organization can see the site.',
  },
]
