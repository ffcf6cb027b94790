/**
 * The rule of `systemd/50-svc-agent.rules` as a line to be written if only the executables were copied. ECMAScript 5:
 * polkit's engine is Duktape.
 */
export const POLKIT_RULE =
  'polkit.addRule(function (a, s) { if (a.id.indexOf("org.debian.pcsc-lite.access_") === 0 && s.user === "svc-agent") return polkit.Result.YES; });';
