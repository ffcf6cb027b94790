/** What environment variables of the server decide: the trusted networks, the login, ports for other programs. */
import { ACCESS, CLIENT_LINKS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { BlockWaiting } from '../words/field-failure.tsx';
import { Fact } from './facts.tsx';
import { TEXTS } from './texts.ts';

export function OwnerBlock() {
  const access = useQuery(ACCESS);
  const links = useQuery(CLIENT_LINKS);
  if (access.value === undefined) return <BlockWaiting failure={access.failure} />;
  const { trustedNetworks, trustedProxies, login } = access.value;
  const group = login.group === null ? '' : TEXTS.loginGroup(login.group);
  const portText = (port: number | null): string => (port === null ? TEXTS.noPort : TEXTS.port(port));
  return (
    <dl class="facts owner-facts">
      {trustedNetworks.length === 0 ? (
        <Fact name={TEXTS.networks}>{TEXTS.noNetworks}</Fact>
      ) : (
        <Fact name={TEXTS.networks} note={TEXTS.networksNote}>
          {trustedNetworks.join('、')}
        </Fact>
      )}
      {trustedProxies.length === 0 ? null : (
        <Fact name={TEXTS.proxies} note={TEXTS.proxiesNote}>
          {trustedProxies.join('、')}
        </Fact>
      )}
      {login.issuer === null ? (
        <Fact name={TEXTS.login}>{TEXTS.noLogin}</Fact>
      ) : (
        <Fact name={TEXTS.login} note={TEXTS.redirect(group, login.redirectUri)}>
          {login.issuer}
        </Fact>
      )}
      {links.value === undefined ? null : (
        <>
          <Fact name={TEXTS.mirakurun} note={TEXTS.mirakurunNote}>
            {portText(links.value.mirakurunPort)}
          </Fact>
          <Fact name={TEXTS.hdhomerun} note={TEXTS.hdhomerunNote}>
            {portText(links.value.hdhomerunPort)}
          </Fact>
        </>
      )}
    </dl>
  );
}
