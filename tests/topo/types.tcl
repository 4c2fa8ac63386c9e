# What ibdm makes of a .topo: a line for each end of a cable, NODE|PORT|NODE|PORT|WIDTH SPEED; run by ibdmsh.
set f [new_IBFabric]
IBFabric_parseTopology $f [lindex $argv 0]
foreach entry [IBFabric_NodeByName_get $f] {
	set node [lindex $entry 1]
	for {set p 1} {$p <= [IBNode_numPorts_get $node]} {incr p} {
		set port [IBNode_getPort $node $p]
		if {$port == ""} continue
		set peer [IBPort_p_remotePort_get $port]
		if {$peer == ""} continue
		puts "CABLE [lindex $entry 0]|$p|[IBNode_name_get [IBPort_p_node_get $peer]]|[IBPort_num_get $peer]|[IBPort_width_get $port] [IBPort_speed_get $port]"
	}
}
exit
