/** The content of a channel other than picture and sound, for `--truth`. */
import { networkLogos } from '../logo/assignment.ts';
import type { SectionPlace, StationPlace } from '../scenario/layout.ts';
import { placeChannel } from '../scenario/layout.ts';
import { type ChannelPlan, dataServiceType, logoKind, type Scenario } from '../scenario/model.ts';
import { networkOf } from './network.ts';

function streamTruth(place: SectionPlace | null) {
  return place === null ? null : { ...place };
}

/** Members of a station's truth. */
export function serviceTruth(scenario: Scenario, channel: ChannelPlan, place: StationPlace) {
  const { plan, carousel, application, ecmPid } = place;
  const logos = networkLogos(networkOf(scenario, channel));
  const logo = logos.find(({ stations }) => stations.some(({ station }) => station === plan));
  return {
    logo: {
      kind: logoKind(plan),
      logoId: logo?.logoId ?? null,
      ownerServiceId: logo?.owner.serviceId ?? null,
    },
    carousel: streamTruth(carousel),
    application: streamTruth(application),
    pay: plan.pay === true,
    ecmPid,
  };
}

/** Data services. */
export function dataServicesTruth(channel: ChannelPlan) {
  return placeChannel(channel).dataServices.map(({ plan, pmtPid, carousel }) => ({
    serviceId: plan.serviceId,
    name: plan.name,
    serviceType: dataServiceType(plan),
    pmtPid,
    content: plan.carousel,
    carousel: streamTruth(carousel),
  }));
}
