import type { Member, OrgDetail, Role } from '@svc/contract'
import { PersonAvatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { RowSelect } from '../../components/select.tsx'
import { Tag } from '../../components/tag.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { roles } from '../../orgs.ts'
import { may, mayRemove } from '../../rights.ts'
import styles from './rows.module.css'

const options = (Object.keys(roles) as Role[]).map(role => ({ value: role, title: roles[role].title }))

interface MemberRowsProps {
  org: OrgDetail
  members: readonly Member[]
  me: string
  onRole: (member: Member, role: Role) => void
  onRemove: (member: Member) => void
}

export function MemberRows({ org, members, me, onRole, onRemove }: MemberRowsProps) {
  const mayChange = may(org.role, 'PUT /orgs/:name/members/:login')
  return (
    <Rows columns="minmax(0, 1fr) 16rem 7rem 5.5rem" end="side">
      {members.map(member => (
        <Row key={member.login}>
          <div className={styles.who}>
            <PersonAvatar login={member.login} size={28} />
            <p className={styles.name}>
              {member.login} {member.login === me && <Tag>you</Tag>}
            </p>
          </div>
          <p className={styles.soft}>
            Joined <TimeAgo at={member.joined_at} />
          </p>
          <div className={styles.middle}>
            {mayChange ? (
              <RowSelect
                label={`Role of ${member.login}`}
                value={member.role}
                options={options}
                onChoose={role => onRole(member, role)}
              />
            ) : (
              <span data-tip={roles[member.role].may}>{roles[member.role].title}</span>
            )}
          </div>
          <div>
            {mayRemove(org.role, me, member) && (
              <Button
                size="small"
                aria-label={member.login === me ? 'Leave the organization' : `Remove ${member.login}`}
                onClick={() => onRemove(member)}
              >
                {member.login === me ? 'Leave' : 'Remove'}
              </Button>
            )}
          </div>
        </Row>
      ))}
    </Rows>
  )
}
