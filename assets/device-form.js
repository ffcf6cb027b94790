// Sends the form of /device once somebody sees the page. Browsers render pages ahead and open tabs in the background:
// that must register nothing.
(() => {
  const form = document.getElementById('approve');
  if (form === null) return;
  let sent = false;
  const send = () => {
    if (sent || document.prerendering === true || document.visibilityState !== 'visible') return;
    sent = true;
    form.submit();
  };
  document.addEventListener('prerenderingchange', send);
  document.addEventListener('visibilitychange', send);
  send();
})();
