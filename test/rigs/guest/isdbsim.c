// SPDX-License-Identifier: MIT
/*
 * A DVB adapter without hardware on the real dvb-core: one frontend for ISDB-T and ISDB-S whose lock, signal and presence
 * are module parameters. What is written to /dev/isdbsim is received while the frontend is locked.
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <media/dmxdev.h>
#include <media/dvb_demux.h>
#include <media/dvb_frontend.h>
#include <media/dvbdev.h>

DVB_DEFINE_MOD_OPT_ADAPTER_NR(adapter_nr);

#define PIECE (188 * 256)
#define FILTERS 16

struct sim {
	struct dvb_adapter adapter;
	struct dvb_demux demux;
	struct dmxdev dmxdev;
	struct dmx_frontend input;
	struct dvb_frontend frontend;
};

static struct platform_device *parent;
static struct sim *sim;
static DEFINE_MUTEX(lock);

/* The frequency, as given to the frontend, on which there is a signal; 0: on every one. */
static unsigned int signal_at;
module_param(signal_at, uint, 0644);
/* What the frontend was told last. */
static unsigned int tuned_frequency, tuned_stream, tuned_system;
module_param(tuned_frequency, uint, 0444);
module_param(tuned_stream, uint, 0444);
module_param(tuned_system, uint, 0444);
static unsigned int voltage = SEC_VOLTAGE_OFF;
module_param(voltage, uint, 0444);

static bool locked(void)
{
	return tuned_frequency && (!signal_at || signal_at == tuned_frequency);
}

static int sim_read_status(struct dvb_frontend *fe, enum fe_status *status)
{
	struct dtv_frontend_properties *c = &fe->dtv_property_cache;

	*status = locked() ? FE_HAS_SIGNAL | FE_HAS_CARRIER | FE_HAS_VITERBI | FE_HAS_SYNC | FE_HAS_LOCK : 0;
	c->cnr.len = 1;
	c->cnr.stat[0].scale = FE_SCALE_DECIBEL;
	c->cnr.stat[0].svalue = locked() ? 28500 : 1500;
	c->strength.len = 1;
	c->strength.stat[0].scale = FE_SCALE_DECIBEL;
	c->strength.stat[0].svalue = -43000;
	return 0;
}

static int sim_tune(struct dvb_frontend *fe, bool retune, unsigned int flags, unsigned int *delay,
		    enum fe_status *status)
{
	struct dtv_frontend_properties *c = &fe->dtv_property_cache;

	if (retune) {
		tuned_frequency = c->frequency;
		tuned_stream = c->stream_id;
		tuned_system = c->delivery_system;
	}
	*delay = HZ / 5;
	return sim_read_status(fe, status);
}

static int sim_set_voltage(struct dvb_frontend *fe, enum fe_sec_voltage wanted)
{
	voltage = wanted;
	return 0;
}

static int sim_set_frontend(struct dvb_frontend *fe)
{
	return 0;
}

static int sim_get_frontend(struct dvb_frontend *fe, struct dtv_frontend_properties *c)
{
	return 0;
}

static enum dvbfe_algo sim_algorithm(struct dvb_frontend *fe)
{
	return DVBFE_ALGO_HW;
}

static const struct dvb_frontend_ops operations = {
	.delsys = { SYS_ISDBT, SYS_ISDBS },
	.info = {
		.name = "isdbsim",
		/* kHz for ISDB-S: its intermediate frequencies are 1,049,480 to 2,053,000. */
		.frequency_min_hz = 470 * MHz,
		.frequency_max_hz = 2150 * MHz,
		.caps = FE_CAN_INVERSION_AUTO | FE_CAN_FEC_AUTO | FE_CAN_QAM_AUTO |
			FE_CAN_TRANSMISSION_MODE_AUTO | FE_CAN_GUARD_INTERVAL_AUTO |
			FE_CAN_HIERARCHY_AUTO | FE_CAN_MULTISTREAM,
	},
	.get_frontend_algo = sim_algorithm,
	.tune = sim_tune,
	.set_frontend = sim_set_frontend,
	.get_frontend = sim_get_frontend,
	.read_status = sim_read_status,
	.set_voltage = sim_set_voltage,
};

static int sim_feed(struct dvb_demux_feed *feed)
{
	return 0;
}

static void plug(void)
{
	struct sim *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s || dvb_register_adapter(&s->adapter, "isdbsim", THIS_MODULE, &parent->dev, adapter_nr) < 0) {
		kfree(s);
		return;
	}
	s->demux.dmx.capabilities = DMX_TS_FILTERING | DMX_SECTION_FILTERING | DMX_MEMORY_BASED_FILTERING;
	s->demux.filternum = FILTERS;
	s->demux.feednum = FILTERS;
	s->demux.start_feed = sim_feed;
	s->demux.stop_feed = sim_feed;
	dvb_dmx_init(&s->demux);
	s->dmxdev.filternum = FILTERS;
	s->dmxdev.demux = &s->demux.dmx;
	dvb_dmxdev_init(&s->dmxdev, &s->adapter);
	s->input.source = DMX_FRONTEND_0;
	s->demux.dmx.add_frontend(&s->demux.dmx, &s->input);
	s->demux.dmx.connect_frontend(&s->demux.dmx, &s->input);
	s->frontend.ops = operations;
	dvb_register_frontend(&s->adapter, &s->frontend);
	mutex_lock(&lock);
	sim = s;
	mutex_unlock(&lock);
}

/* As drivers of USB devices do it: returns when the last user has closed. */
static void unplug(void)
{
	struct sim *s;

	mutex_lock(&lock);
	s = sim;
	sim = NULL;
	mutex_unlock(&lock);
	if (!s)
		return;
	tuned_frequency = 0;
	dvb_unregister_frontend(&s->frontend);
	s->demux.dmx.disconnect_frontend(&s->demux.dmx);
	s->demux.dmx.remove_frontend(&s->demux.dmx, &s->input);
	dvb_dmxdev_release(&s->dmxdev);
	dvb_dmx_release(&s->demux);
	dvb_unregister_adapter(&s->adapter);
	/* The frontend may still be referenced by a file that is being closed. */
}

static bool plugged = true;

static void replug(struct work_struct *work)
{
	if (plugged && !sim)
		plug();
	if (!plugged)
		unplug();
}

static DECLARE_WORK(replug_work, replug);

static int set_plugged(const char *text, const struct kernel_param *parameter)
{
	int result = param_set_bool(text, parameter);

	if (!result && parent)
		schedule_work(&replug_work);
	return result;
}

static const struct kernel_param_ops plugged_operations = { .set = set_plugged, .get = param_get_bool };
module_param_cb(plugged, &plugged_operations, &plugged, 0644);

static ssize_t sim_write(struct file *file, const char __user *from, size_t size, loff_t *offset)
{
	size_t length = min_t(size_t, size, PIECE);
	u8 *piece = memdup_user(from, length);

	if (IS_ERR(piece))
		return PTR_ERR(piece);
	mutex_lock(&lock);
	if (sim && locked())
		dvb_dmx_swfilter(&sim->demux, piece, length);
	mutex_unlock(&lock);
	kfree(piece);
	return length;
}

static const struct file_operations air = { .owner = THIS_MODULE, .write = sim_write };
static struct miscdevice device = { .minor = MISC_DYNAMIC_MINOR, .name = "isdbsim", .fops = &air };

static int __init sim_init(void)
{
	parent = platform_device_register_simple("isdbsim", -1, NULL, 0);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	plug();
	return misc_register(&device);
}

static void __exit sim_exit(void)
{
	misc_deregister(&device);
	cancel_work_sync(&replug_work);
	unplug();
	platform_device_unregister(parent);
}

module_init(sim_init);
module_exit(sim_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("ISDB adapter without hardware");
