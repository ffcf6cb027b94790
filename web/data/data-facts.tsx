/** Details of the data broadcast: the document, and what of each component was received. */
import { bytesText } from '../words/bytes.ts';
import type { DataBroadcast } from './data-broadcast.ts';
import { carouselProgress } from './data-view.ts';
import { TEXTS } from './texts.ts';

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

export function DataFacts({ data }: { data: DataBroadcast }) {
  const { kind } = data.state.value;
  const components = data.progress.value;
  const all = carouselProgress(components);
  const log = data.log.value;
  return (
    <section class="sheet-section stack gap-75 above-150" aria-label={TEXTS.facts}>
      <h3>{TEXTS.facts}</h3>
      {kind === 'off' ? (
        <p class="muted">{TEXTS.factsOff}</p>
      ) : (
        <dl class="facts bordered clip round-m">
          <div class="fact">
            <dt>{TEXTS.state}</dt>
            <dd>{TEXTS.states[kind]}</dd>
          </div>
          <div class="fact">
            <dt>{TEXTS.document}</dt>
            <dd class="numbers">{data.address.value === '' ? '—' : data.address.value}</dd>
          </div>
          <div class="fact">
            <dt>{TEXTS.received}</dt>
            <dd class="numbers">{TEXTS.receivedOf(bytesText(all.receivedOctets), bytesText(all.octets))}</dd>
          </div>
        </dl>
      )}
      {components.map((component) => {
        const { received, modules, octets } = carouselProgress([component]);
        return (
          <details key={component.component} class="data-component">
            <summary class="flex wrap justify-between press text-s">
              {TEXTS.component(hex(component.component, 2))}
              <span class="numbers">{TEXTS.modules(received, modules, bytesText(octets))}</span>
            </summary>
            <ul class="numbers no-margin text-xs muted unlisted">
              {component.modules.map(({ id, octets: size, isReceived }) => (
                <li key={id} data-received={isReceived ? '' : undefined}>
                  {TEXTS.module(hex(id, 4), bytesText(size), isReceived)}
                </li>
              ))}
            </ul>
          </details>
        );
      })}
      {log.length === 0 ? null : (
        <details class="data-component">
          <summary class="flex wrap justify-between press text-s">{TEXTS.log(log.length)}</summary>
          <ul class="no-margin text-xs muted unlisted">
            {log.map((line, index) => (
              <li key={index}>{line}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
