/** What is known of a login without the library of `identity-provider.ts`, which is loaded by the first one. */

export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Only members of this group or holders of this role pass; null: everyone who can sign in. */
  group: string | null;
  sessionTtlMs: number;
}

/** A login that was not completed. The message is for the log and carries no secret. */
export class LoginFailure extends Error {
  override readonly name = 'LoginFailure';
  constructor(
    readonly kind: /** It cannot be reached, or answers nonsense. */
      | 'provider_down'
      /** The user or the provider declined. */
      | 'refused'
      /** The response does not match the request, or its signature is invalid. */
      | 'invalid',
    message: string,
  ) {
    super(message);
  }
}

/** Values that the callback is checked against; secret. */
export interface LoginChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export type Denial =
  /** In other groups and roles only. */
  | 'not_member'
  /** The ID token has neither groups nor roles: the provider does not send them. */
  | 'no_groups'
  /** The provider left out the groups because there are too many, and sends no roles. */
  | 'too_many_groups';

export type IdentityClaims = Readonly<Record<string, unknown>>;

/** Some providers send one group as a plain text. */
function texts(claim: unknown): string[] {
  const list = Array.isArray(claim) ? claim : [claim];
  return list.filter((one): one is string => typeof one === 'string' && one !== '');
}

/**
 * OpenID Connect Core 1.0, 5.6.2: the value is elsewhere (distributed claim). Entra ID does this for more than 200
 * groups.
 */
function isElsewhere(claims: IdentityClaims, name: string): boolean {
  const names = claims._claim_names;
  return typeof names === 'object' && names !== null && Object.hasOwn(names, name);
}

/**
 * @param group its members and holders of the role of that name are let in; null: everyone. @returns undefined if let
 *   in
 */
export function denialOf(claims: IdentityClaims, group: string | null): Denial | undefined {
  if (group === null) return undefined;
  const [groups, roles] = [texts(claims.groups), texts(claims.roles)];
  if (groups.includes(group) || roles.includes(group)) return undefined;
  if (roles.length === 0 && groups.length === 0)
    return isElsewhere(claims, 'groups') ? 'too_many_groups' : 'no_groups';
  return 'not_member';
}

/** Display name of a person. `sub` is always present. */
export function nameOfClaims(claims: IdentityClaims): string {
  const [name = ''] = [claims.name, claims.preferred_username, claims.email, claims.sub].flatMap(texts);
  return name;
}
