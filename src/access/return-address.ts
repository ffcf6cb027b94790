/** Where a browser is redirected after its login: always an address of this service. Pure. */
import { CONFIRM_PARAMETER } from '../route/page.ts';

const MAX_LENGTH = 1_024;

/**
 * @param to relative to the service's address, as the browser sent it
 * @param base the service's address with a final slash
 * @returns an absolute address below `base`; `base` itself for anything else
 */
export function returnAddress(to: string | null, base: string): string {
  if (to === null || to.length > MAX_LENGTH) return base;
  const [root, target] = [new URL(base), URL.parse(to, base)];
  if (target === null || target.origin !== root.origin || !target.pathname.startsWith(root.pathname))
    return base;
  if (target.username !== '' || target.password !== '') return base;
  // Prevents loops and redirects to other hosts: `//host` below the root is only a path of the service.
  const path = target.pathname.slice(root.pathname.length);
  if (path.startsWith('/') || /^log(?:in|out)(?:\/|$)/.test(path)) return base;
  // Any page can lead a browser to the login with an address of its choice.
  if (/^device\/*$/.test(path)) target.searchParams.set(CONFIRM_PARAMETER, '1');
  return target.href;
}
