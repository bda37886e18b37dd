//! Which network interface leads to an address (`/proc/net/route`,
//! `/proc/net/ipv6_route`): the longest prefix wins, then the lowest metric.

use std::net::IpAddr;

use crate::audit::Scene;
use fathom_device::root::Unknown;

struct Route {
    interface: String,
    network: u128,
    prefix_bits: u32,
    metric: u32,
}

/// The interface that the main routing table uses for the address.
pub(super) fn interface_to(scene: &Scene<'_>, to: IpAddr) -> Result<String, Unknown> {
    let (path, bits, parse): (_, _, fn(&str) -> Option<Route>) = match to {
        IpAddr::V4(_) => ("/proc/net/route", 32, route_v4),
        IpAddr::V6(_) => ("/proc/net/ipv6_route", 128, route_v6),
    };
    let to_bits = match to {
        IpAddr::V4(v4) => u128::from(v4.to_bits()),
        IpAddr::V6(v6) => v6.to_bits(),
    };
    let table = scene.read(path)?;
    let routes = table.text.lines().filter_map(parse);
    let leads = |route: &Route| {
        let host_bits = bits - route.prefix_bits.min(bits);
        let cut = |address: u128| address.checked_shr(host_bits).unwrap_or(0);
        cut(route.network) == cut(to_bits)
    };
    let best = routes.filter(leads).min_by_key(|route| (std::cmp::Reverse(route.prefix_bits), route.metric));
    let best = best.ok_or_else(|| Unknown::new(path, format!("has no route to {to}")))?;
    Ok(best.interface)
}

/// `eth0 0000000A 00000000 0001 0 0 100 000000FF …`: name, destination,
/// gateway, flags, counts, metric, mask. Addresses are in network byte order,
/// printed as numbers of this machine's byte order.
fn route_v4(line: &str) -> Option<Route> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let address = |at: usize| Some(u32::from_str_radix(fields.get(at)?, 16).ok()?.swap_bytes());
    Some(Route {
        interface: (*fields.first()?).to_owned(),
        network: u128::from(address(1)?),
        prefix_bits: address(7)?.leading_ones(),
        metric: fields.get(6)?.parse().ok()?,
    })
}

/// Destination and length, source and length, gateway, metric, counts, flags,
/// name; all in hexadecimal. Lines of the loopback interface are routes that
/// reject.
fn route_v6(line: &str) -> Option<Route> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let hex = |at: usize| u32::from_str_radix(fields.get(at)?, 16).ok();
    Some(Route {
        interface: (*fields.get(9)?).to_owned(),
        network: u128::from_str_radix(fields.first()?, 16).ok()?,
        prefix_bits: hex(1)?,
        metric: hex(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::JobNeeds;
    use fathom_device::Root;

    #[test]
    fn the_longest_prefix_wins_then_the_metric() {
        let mut tree = fathom_device::tree::Tree::default();
        tree.overlay(
            "/proc/net/route <<\n\
             \tIface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n\
             \teth0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n\
             \teth2\t0002A8C0\t00000000\t0001\t0\t0\t200\t00FFFFFF\t0\t0\t0\n\
             \teth1\t0002A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n\
             /proc/net/ipv6_route <<\n\
             \tfd000000000000000000000000000000 10 00000000000000000000000000000000 00 \
             00000000000000000000000000000000 00000100 00000001 00000000 00000001 eth3\n",
        )
        .unwrap();
        let root = Root::held(&tree);
        let scene = Scene::new(&root, &[], JobNeeds::default(), None);
        let to = |address: &str| interface_to(&scene, address.parse().unwrap());
        assert_eq!(to("192.168.2.9").unwrap(), "eth1");
        assert_eq!(to("8.8.8.8").unwrap(), "eth0");
        assert_eq!(to("fd00::7").unwrap(), "eth3");
        assert!(to("fe80::1").is_err());
    }
}
